//! Running text for pages that must be judged by their letters; written for this purpose.

/// English, about 1,400 letters.
pub const ENGLISH: &str = "The harbour office opens at seven in the morning, and by then the first boats have already \
come in. Fish are weighed on the quay, written into a long paper list, and sold before the town has had its \
breakfast. Nobody remembers who began the custom of ringing the small brass bell after each sale, but everybody \
would notice if it stopped. Visitors often ask whether the bell is meant for them. It is not; it tells the ice \
house that another load is on its way. In winter the work is slower, since storms keep the boats at their moorings \
for days. The people mend nets, paint the hulls, and argue about the price of fuel. Younger families have moved \
inland over the past twenty years, and the school, which once had four classes, now has only one teacher. Even so, \
the council decided last spring to repair the northern pier and to build a hall where the catch can be kept cold. \
The plan was debated through six long evenings. Some feared that larger companies would follow and that the quay \
would lose its character; others replied that without the hall there would soon be nothing left to protect. In the \
end the vote was closer than anyone had expected, and the chair asked for a second count before she announced the \
result. Work began in the first week of June. The old stones were lifted one by one, numbered with white paint, and \
laid out on the grass behind the church so that they could be put back in their former order. An engineer from the \
city explained that the foundations had been set on timber, and that the timber was as sound as on the day it was \
cut. Children came every afternoon to watch the divers. By autumn the pier stood again, a little higher than before, \
and the bell was moved to a new post at its far end, where it can be heard across the whole bay.";

/// German.
pub const GERMAN: &str = "Der Brunnen auf dem Marktplatz gibt seit drei Wochen kein Wasser mehr. Zuerst dachten die \
meisten, der lange trockene Sommer sei schuld, doch dann fand ein Lehrling beim Reinigen der alten Leitung eine \
Münze aus dem achtzehnten Jahrhundert und dahinter ein ganzes Nest von Wurzeln. Nun streiten sich die Behörden, wer \
die Kosten übernehmen soll. Die Gärtnerei am Ende der Straße hat angeboten, den Baum zu versetzen, aber niemand weiß, \
ob er das überleben würde. Inzwischen holen die Kinder das Wasser für ihre Spiele aus dem Bach, und die Tauben haben \
gelernt, vor der Bäckerei zu warten, wo jeden Morgen die Stufen abgespült werden. Am Donnerstag soll der Gemeinderat \
endlich darüber entscheiden, was mit dem Brunnen und dem Baum geschehen wird.";

/// French.
pub const FRENCH: &str = "La bibliothèque du village se trouve dans une ancienne école, à côté de la rivière. Chaque \
mercredi, une dizaine d'enfants viennent écouter les histoires que raconte la boulangère à la retraite. Elle connaît \
tous les livres par cœur, mais elle les tient quand même ouverts devant elle, parce que les plus petits veulent voir \
les images. L'hiver dernier, le toit a cédé sous la neige et il a fallu déménager les rayons dans la salle des fêtes. \
Personne ne s'est plaint : on y avait plus chaud, et le maire a fini par prêter ses propres fauteuils. Quand les \
travaux ont été terminés, au début du printemps, beaucoup auraient préféré rester là où ils étaient.";

/// Russian.
pub const RUSSIAN: &str = "Каждое утро старый паром выходит из гавани ровно в шесть часов и возвращается только к вечеру. \
Капитан знает всех пассажиров по имени и никогда не отправляется, пока последний из них не поднимется на борт. Зимой, \
когда река покрывается льдом, люди ходят на другой берег пешком, но всё равно останавливаются у пристани, чтобы \
поговорить с ним. Он рассказывает о том, как его дед построил первую лодку из досок разобранного сарая и как за одну \
ночь половодье унесло мельницу вместе с мукой. Никто уже не может проверить, что в этих рассказах правда, а что он \
придумал сам, однако слушают его с удовольствием. Весной город обещает построить мост, и тогда паром станет не нужен.";

/// Greek.
pub const GREEK: &str = "Το μικρό καφενείο στην άκρη του χωριού ανοίγει πριν από την ανατολή του ήλιου. Οι ψαράδες πίνουν \
τον καφέ τους όρθιοι και φεύγουν χωρίς να μιλήσουν πολύ. Αργότερα έρχονται οι δάσκαλοι, ο ταχυδρόμος και οι γυναίκες που \
πηγαίνουν στην αγορά. Όλοι γνωρίζουν ότι το παλιό ρολόι στον τοίχο πηγαίνει πάντα δέκα λεπτά μπροστά, αλλά κανείς δεν \
θέλει να το διορθώσει, γιατί έτσι δεν χάνει κανένας το λεωφορείο. Το καλοκαίρι τα τραπέζια βγαίνουν κάτω από τον πλάτανο \
και τα παιδιά παίζουν μέχρι αργά τη νύχτα, ενώ οι μεγάλοι συζητούν για τον καιρό και για τις ελιές.";

/// Arabic, in logical order, without vowel signs.
pub const ARABIC: &str = "في كل صباح يفتح الحارس باب المكتبة القديمة قبل أن تصل الشمس إلى النوافذ العالية. يجلس الطلاب حول \
الطاولات الطويلة ويقرؤون في صمت، ولا يسمع أحد سوى صوت الأوراق. كان جدي يقول إن الكتاب الجيد لا ينتهي عند الصفحة الأخيرة، بل \
يبدأ من هناك طريق جديد. وفي المساء تجتمع العائلات في الساحة الكبيرة أمام السوق، ويتحدث الناس عن أسعار الخبز وعن المطر الذي لم \
ينزل منذ شهرين. قرر مجلس المدينة أن يبني خزانا كبيرا للماء على التل، لكن بعض الفلاحين يخافون أن تجف الآبار القريبة من حقولهم. \
وبعد نقاش طويل اتفق الجميع على أن يدرس المهندسون الأرض قبل بداية العمل في الربيع القادم.";

/// Hebrew, in logical order, without vowel points.
pub const HEBREW: &str = "בכל בוקר פותח השומר את שערי הגן הישן לפני שהרחוב מתעורר. הילדים עוברים בדרך אל בית הספר ועוצרים \
ליד הבריכה הקטנה כדי לספור את הדגים. האישה שמוכרת פרחים בפינה מכירה את כולם בשמותיהם ויודעת מי מאחר ומי ממהר. בחורף השבילים \
מתמלאים במים והעלים מכסים את הספסלים, אבל גם אז באים הזקנים לשחק שחמט מתחת לגג העץ. השנה החליטה העירייה לשתול שורה של עצים \
חדשים לאורך החומה, ורבים מן התושבים ביקשו להשתתף בעבודה.";

/// Simplified Chinese.
pub const CHINESE: &str = "每天早上六点，老人都会沿着河边散步。他说这条河在他小时候更宽，水也更清，孩子们夏天可以在里面游泳。现在岸边种满了树，\
还修了一条长长的石路，很多人来这里跑步。去年春天，城里决定在上游建一座新的桥，工人们一直工作到秋天。桥修好以后，去学校的路近了\
一半，可是老人还是喜欢走原来的那条小路，因为路上有他认识的邻居，也有他亲手种下的花。晚上回到家里，他把当天看到的事情写在本子上，\
已经写了三十多本。";

/// Traditional Chinese.
pub const CHINESE_TRADITIONAL: &str = "每天早上六點，老人都會沿著河邊散步。他說這條河在他小時候更寬，水也更清，孩子們夏天可以在裡面游泳。\
現在岸邊種滿了樹，還修了一條長長的石路，很多人來這裡跑步。去年春天，城裡決定在上游建一座新的橋，工人們一直工作到秋天。";

/// Japanese.
pub const JAPANESE: &str = "毎朝六時になると、駅前の小さなパン屋から甘い匂いが流れてきます。店の主人は若いころ船に乗っていて、世界のいろいろな町で\
パンの焼き方を覚えたそうです。学校へ行く子どもたちは窓の前で立ち止まり、焼きたてのパンがならぶのをながめています。去年の冬、大雪で電車が\
止まったとき、主人は待っている人たちに温かいスープを配りました。それから町の人は、雪が降るとかならずこの店に集まるようになりました。";

/// Korean.
pub const KOREAN: &str = "매일 아침 작은 빵집에서는 따뜻한 냄새가 골목까지 퍼진다. 주인은 젊었을 때 배를 타고 여러 나라를 다니면서 빵을 굽는 \
법을 배웠다고 한다. 학교에 가는 아이들은 창문 앞에 서서 갓 구운 빵이 나오는 것을 바라본다. 지난겨울 눈이 많이 와서 기차가 멈추었을 때 \
주인은 기다리는 사람들에게 따뜻한 국을 나누어 주었다. 그 뒤로 마을 사람들은 눈이 오면 이 가게에 모이게 되었다.";

/// Sentences of a text, each with its full stop.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(". ").map(str::trim).filter(|sentence| !sentence.is_empty())
}
