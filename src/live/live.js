// Puts a newer page in place of the older one, section by section; everything is made by the server.
"use strict";
(() => {
  const every = 2000;
  const live = document.getElementById("live");
  const bar = document.getElementById("updates");
  if (!live || !bar) return;
  let paused = false;
  const note = document.createElement("span");
  note.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  const say = (text) => {
    if (note.textContent !== text) note.textContent = text;
  };
  const show = () => {
    button.textContent = paused ? "Resume updates" : "Pause updates";
    say(paused ? "Paused." : "Updates every two seconds.");
  };
  button.addEventListener("click", () => {
    paused = !paused;
    show();
  });
  bar.replaceChildren(button, note);
  show();

  const place = (text) => {
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("live");
    if (!fresh) return;
    let at = live.firstElementChild;
    for (const section of Array.from(fresh.children)) {
      const old = section.id && document.getElementById(section.id);
      let node = section;
      if (old && old.parentElement === live) {
        // What has not changed keeps its focus and its place.
        if (old.isEqualNode(section)) node = old;
        else {
          old.replaceWith(document.adoptNode(section));
          if (at === old) at = section;
        }
      }
      if (node === at) at = at.nextElementSibling;
      else live.insertBefore(node, at);
    }
    while (at) {
      const gone = at;
      at = at.nextElementSibling;
      gone.remove();
    }
  };
  const update = async () => {
    if (!paused && !document.hidden) {
      try {
        const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
        if (!answer.ok) throw new Error(String(answer.status));
        place(await answer.text());
        if (!paused) show();
      } catch {
        say("The coordinator does not answer; trying again.");
      }
    }
    setTimeout(update, every);
  };
  setTimeout(update, every);
})();
