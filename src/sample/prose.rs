//! Running text for pages that must be judged by their letters; written for this purpose.

/// English, about 1,900 letters.
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
