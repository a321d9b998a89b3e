/** What a conversation writes to its terminal, and how it shares that with others. */
import type { Suspendable } from "../../terminal/suspension.ts";
import type { TerminalSize } from "../../terminal/terminal-size.ts";
import type { Line } from "../text/line.ts";

export interface TerminalScreen extends Suspendable {
	readonly size: TerminalSize;
	readonly isClosed: boolean;
	/** More waits to be written than should be: who has more to append should wait for `taken`. */
	readonly isBehind: boolean;
	/** Resolves when what waits is little again, or the screen is closed. */
	taken(): Promise<void>;
	/** Lines for good, above the live region. One that is wider than the terminal is broken by that. */
	append(lines: readonly Line[]): void;
	/** The region may have changed: it is asked for before long. `isAwaited`: somebody has pressed a key. */
	request(how?: { isAwaited?: boolean }): void;
	/** Begins an empty screen; what was on it goes up into the scrollback. */
	clear(): void;
	/** Names the window, unless the name is empty. The name that it had comes back when the terminal is given back. */
	title(text: string): void;
	/** Puts the text into the clipboard, if the terminal lets programs do that; gives how many bytes of it. */
	copy(text: string): number;
	bell(): void;
	/** Gives the terminal back, with an empty row in place of the region, and reads no more. */
	suspend(): void;
	/** Somebody else has the terminal already: nothing is written any more, and nothing read. */
	lose(): void;
	/** Takes the terminal again, which may have another size now, below what was written meanwhile. */
	resume(): void;
	/** Writes what waits, and restores the terminal; a second call does nothing. */
	close(): void;
}
