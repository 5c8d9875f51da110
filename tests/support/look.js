// What a page of ours must be, measured in the browser: a list of what is wrong.
(() => {
  const wrong = [];
  const name = (element) => {
    const classes = typeof element.className === "string" && element.className ? "." + element.className.split(" ").join(".") : "";
    return element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") + classes;
  };
  const shown = (element) => {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return style.visibility !== "hidden" && style.display !== "none" && box.width > 0 && box.height > 0;
  };
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
    }
    return false;
  };
  // Nothing is wider than the window, unless it lies in a box that scrolls by itself.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong.push(`the page is ${document.documentElement.scrollWidth} wide in ${width}`);
  for (const element of document.body.querySelectorAll("*")) {
    if (!shown(element) || element.closest(".skip") || element.closest("svg svg, svg *")) continue;
    const box = element.getBoundingClientRect();
    if ((box.right > width + 1 || box.left < -1) && !scrolls(element)) wrong.push(`${name(element)} reaches from ${box.left} to ${box.right} of ${width}`);
  }
  // Text of a drawing stays in the drawing.
  for (const text of document.querySelectorAll("svg.chart text")) {
    if (!shown(text)) continue;
    const box = text.getBoundingClientRect();
    const outer = text.closest("svg").getBoundingClientRect();
    if (box.left < outer.left - 2 || box.right > outer.right + 2 || box.top < outer.top - 2 || box.bottom > outer.bottom + 2)
      wrong.push(`"${text.textContent}" leaves its drawing`);
  }
  // Contrast: WCAG 2.2, 1.4.3 (AA).
  const parse = (colour) => (colour.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !shown(element) || element.closest("noscript, script, style, .skip")) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [luminance(ink), luminance(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push(`contrast ${ratio.toFixed(2)} of "${node.textContent.trim().slice(0, 40)}" in ${name(element)}`);
  }
  if (texts < 5) wrong.push(`only ${texts} texts are shown`);
  // For those who listen: one heading, landmarks with names, tables with headers, pictures with labels, ids once.
  const one = (selector) => {
    const n = document.querySelectorAll(selector).length;
    if (n !== 1) wrong.push(`${n} of ${selector}`);
  };
  ["h1", "main", "header", "html[lang]", "title"].forEach(one);
  for (const section of document.querySelectorAll("section")) {
    if (!document.getElementById(section.getAttribute("aria-labelledby"))) wrong.push(`${name(section)} has no name`);
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.querySelector("th[scope=col]")) wrong.push("a table has no header");
  }
  for (const picture of document.querySelectorAll("svg, img, progress")) {
    if (!picture.getAttribute("aria-label") && !picture.getAttribute("alt")) wrong.push(`${name(picture)} has no label`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach((id) => wrong.push(`id ${id} twice`));
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) wrong.push(`h${next} after h${level}`);
    level = next;
  }
  for (const element of document.querySelectorAll("[tabindex='0']")) {
    if (!element.getAttribute("aria-label")) wrong.push(`${name(element)} can be focused and has no name`);
  }
  return [...new Set(wrong)];
})()
