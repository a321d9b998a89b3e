/** A question that a person answers with one key, before anything has the screen. */

import { isInForeground, ownJob } from "../../processes/foreground.ts";
import { print } from "../../terminal/print.ts";
import { wrapWords } from "../../text/width/wrap.ts";
import type { Key } from "../../tui/keys/key.ts";
import { terminalSize } from "../../tui/terminal/modes.ts";
import { RawInput, TypeAhead } from "../../tui/terminal/raw-input.ts";
import { Suspension } from "../../tui/terminal/suspension.ts";
import { SIGNALS } from "../../tui/terminal/system-events.ts";
import { hasScreen } from "./process-io.ts";

const [CTRL_C, CTRL_D, CTRL_Z, ESCAPE] = ["\u0003", "\u0004", "\u001a", "\u001b"];

/** True when there is a person to ask: a process in the background that reads from the terminal would be stopped. */
export function canAsk(): boolean {
	const { stdin, stderr } = process;
	return stdin.isTTY === true && stderr.isTTY === true && isInForeground();
}

/**
 * Prints the question on stderr, and waits for one of the characters, however long that takes. Other keys mean nothing, nor does what
 * comes in one piece with others: it may be a paste. Ctrl-C ends the process, as it does where a terminal reads lines. Undefined for
 * Esc, Ctrl-D, and when the terminal is gone.
 */
export async function askKey(question: string, characters: string): Promise<string | undefined> {
	const takeAgain = typedAhead.lend(process.stdin);
	await ask(question);
	const key = await new Promise<string | undefined>((resolve) => listen({ question, characters }, resolve));
	takeAgain();
	await print(2, key === CTRL_C ? "^C" : `${key ?? ""}\n`);
	if (key !== CTRL_C) return key;
	job().interrupt();
	return undefined;
}

interface Asked {
	readonly question: string;
	readonly characters: string;
}

/** `tell` gets Ctrl-C, too. */
function listen({ question, characters }: Asked, tell: (key: string | undefined) => void): void {
	let raw: RawInput | undefined;
	const take = () => {
		raw ??= new RawInput(process.stdin, { onInput: (bytes) => hear(String(bytes)), onGone: () => end(undefined) });
	};
	const screen = {
		suspend: () => {
			raw?.giveBack();
			raw = undefined;
		},
		lose: () => {
			raw?.close();
			raw = undefined;
		},
		resume: () => {
			take();
			void ask(question);
		},
	};
	const suspension = new Suspension(screen, job());
	const goOn = () => suspension.goOn();
	const end = (key: string | undefined) => {
		process.off("SIGCONT", goOn);
		suspension.close();
		screen.suspend();
		tell(key);
	};
	const hear = (typed: string) => {
		const key = typed.replace(/[\r\n]+$/, "").toLowerCase(); // a terminal that obeys nothing sends a line
		if (key === CTRL_Z) suspension.suspend();
		else if (key === CTRL_D || key === ESCAPE) end(undefined);
		else if (key === CTRL_C || (key.length === 1 && characters.includes(key))) end(key);
	};
	process.on("SIGCONT", goOn);
	take();
}

/** The answer stands two columns behind it. */
async function ask(question: string): Promise<void> {
	await print(2, `${wrapWords(question, terminalSize(process.stderr).columns - 3)}  `);
}

function job() {
	return ownJob(process.env, Object.values(SIGNALS));
}

/** What was typed at this process's terminal before there was a prompt. */

export const typedAhead = new TypeAhead<Key>({
	mayHold: () => hasScreen() && isInForeground(),
	interrupt: () => ownJob(process.env, []).interrupt(),
});
