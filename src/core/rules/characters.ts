/** The characters of a script, with a place among them. */
export class Characters {
	readonly text: string;
	at = 0;

	constructor(text: string) {
		this.text = text;
	}

	get isOver(): boolean {
		return this.at >= this.text.length;
	}

	peek(ahead = 0): string {
		return this.text[this.at + ahead] ?? "";
	}

	startsWith(text: string): boolean {
		return this.text.startsWith(text, this.at);
	}

	/** Goes past the text if it stands here. */
	take(text: string): boolean {
		if (!this.startsWith(text)) return false;
		this.at += text.length;
		return true;
	}

	/** The next character, or "" at the end. */
	next(): string {
		const char = this.peek();
		this.at += 1;
		return char;
	}

	/** What matches here, which is gone past; "" for nothing. `pattern` is sticky. */
	match(pattern: RegExp): string {
		pattern.lastIndex = this.at;
		const [found = ""] = pattern.exec(this.text) ?? [];
		this.at += found.length;
		return found;
	}
}
