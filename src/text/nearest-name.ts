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

/** How many letters have to be put in, left out or changed, or swapped with the next one. */
function editDistance(a: string, b: string): number {
	let before: number[] = [];
	let row = Array.from({ length: b.length + 1 }, (_, n) => n);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++) {
			const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
			const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
			const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : changed;
			next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed, swapped));
		}
		[before, row] = [row, next];
	}
	return row[b.length] ?? 0;
}
