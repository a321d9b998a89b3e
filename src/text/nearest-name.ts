/** The known name that somebody meant who wrote another one: pure. */

const WORD = /[a-z]{4,}/g;
const FAR = 0.34; // of a name's length
const MOST_CHARS = 100;

/** The known name with the fewest letters to change, if they are few; else the first that shares a word with it. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
	const asked = name.toLowerCase().slice(0, MOST_CHARS);
	const far = (other: string) => editDistance(asked, other);
	const [nearest] = known.filter((other) => far(other) <= FAR * other.length).sort((a, b) => far(a) - far(b));
	return nearest ?? known.find((other) => rareWords(other, known).some((word) => asked.includes(word)));
}

/** The words of a name that not most of the known names have. */
function rareWords(name: string, known: readonly string[]): string[] {
	return (name.match(WORD) ?? []).filter(
		(word) => known.filter((other) => other.includes(word)).length * 2 < known.length,
	);
}

/** How many letters have to be put in, left out or changed. */
function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, n) => n);
	for (const [i, letter] of [...a].entries()) {
		const next = [i + 1];
		for (let j = 1; j <= b.length; j++)
			next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)));
		row = next;
	}
	return row[b.length] ?? 0;
}
