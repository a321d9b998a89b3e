/** What could not be read, for people: a line for each kind, however many lines of a file are of it. */

const LINE = /^(\S+) line (\d+): (.*)$/s;

/** `events.jsonl line 7: not valid JSON, skipped` and two more → `events.jsonl: 3 lines: not valid JSON, skipped (the first: line 7)`. */
export function damageByKind(damage: readonly string[]): string[] {
	const kinds = new Map<string, { first: string; count: number }>();
	for (const what of damage) {
		const [, file, , how] = LINE.exec(what) ?? [];
		const kind = file === undefined ? what : `${file}: ${how}`;
		const known = kinds.get(kind);
		if (known === undefined) kinds.set(kind, { first: what, count: 1 });
		else known.count++;
	}
	return [...kinds.values()].map(({ first, count }) => (count === 1 ? first : counted(first, count)));
}

function counted(first: string, count: number): string {
	const [, file, line, how] = LINE.exec(first) ?? [];
	return file === undefined ? `${first} (${count} times)` : `${file}: ${count} lines: ${how} (the first: line ${line})`;
}
