/** Which of the names that there are a person means who has typed a part of one. Pure. */

/**
 * Those that begin so, the same one first; where there is none those that begin so in other letters, else those of which a later
 * word begins so, else those that have it in them. Else in the order that they have.
 */
export function bestFirst<T>(typed: string, all: readonly T[], nameOf: (one: T) => string): readonly T[] {
	const small = typed.toLowerCase();
	const ways: readonly ((name: string) => boolean)[] = [
		(name) => name.startsWith(typed),
		(name) => name.toLowerCase().startsWith(small),
		(name) =>
			name
				.toLowerCase()
				.split(/[^\p{L}\p{N}]+/u)
				.some((word) => word.startsWith(small)),
		(name) => name.toLowerCase().includes(small),
	];
	for (const isMeant of ways) {
		const found = all.filter((one) => isMeant(nameOf(one)));
		if (found.length > 0) return found.sort((a, b) => Number(nameOf(b) === typed) - Number(nameOf(a) === typed));
	}
	return [];
}
