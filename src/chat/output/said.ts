/** A line of the conversation's own, or a few. */
export interface Said {
	readonly text: string;
	readonly style?: "plain" | "dim" | "warn" | "bad";
	/** Columns at the begin of its other rows, where it is too long for one. */
	readonly hang?: number;
	/** Begins several lines, which stand by themselves. */
	readonly isReport?: boolean;
}
