/** Thinking in parts, as `reasoning_details` brings it in pieces: it goes back as it came, each part put together. */

const STRINGS = ["text", "summary", "data", "signature"];

export class ReasoningDetails {
	/** How many pieces have come. */
	count = 0;
	private readonly parts: Record<string, unknown>[] = [];

	/** Pieces of one part have the same type and index. */
	take(pieces: unknown): void {
		for (const piece of Array.isArray(pieces) ? pieces : []) {
			if (typeof piece !== "object" || piece === null) continue;
			this.count += 1;
			const { type, index } = piece;
			const part = this.parts.find((other) => other.type === type && index !== undefined && other.index === index);
			if (part === undefined) this.parts.push({ ...piece });
			else grow(part, piece);
		}
	}

	/** What the pieces show; empty when they show nothing. */
	static textOf(pieces: unknown): string {
		const list: unknown[] = Array.isArray(pieces) ? pieces : [];
		return list
			.map((piece) => Object(piece).text ?? Object(piece).summary)
			.filter((text) => typeof text === "string")
			.join("");
	}

	/** JSON of all parts; empty when there are none. */
	get json(): string {
		return this.parts.length === 0 ? "" : JSON.stringify(this.parts);
	}
}

function grow(part: Record<string, unknown>, piece: Record<string, unknown>): void {
	for (const [key, value] of Object.entries(piece)) {
		if (value === null || value === undefined) continue;
		part[key] = STRINGS.includes(key) && typeof value === "string" ? `${part[key] ?? ""}${value}` : value;
	}
}
