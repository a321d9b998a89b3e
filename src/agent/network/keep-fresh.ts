/**
 * What commands see through overlays may change meanwhile, by their person's hand: it is looked at anew after each command, while the
 * model thinks, and now and then while one runs.
 */
import { childProcess } from "../../processes/child-process.ts";
import { AFRESH_ENVIRONMENT, SEEN_AFRESH } from "../../sandbox/layers.ts";

const AFTER_MS = 1_000; // several commands that follow one another cost one look
const WHILE_MS = 10_000;

/** A namespace in which commands are started. */
export interface Within {
	/** What stands in front of a command's program and arguments. */
	readonly enter: readonly string[];
	/** Called for each command that is started there. */
	readonly keepFresh?: (exit: Promise<unknown>) => void;
}

/** `enter`: what stands in front of a program that is started in the namespace of the overlays. Gives what is called for each command. */
export function keepFresh([program = "", ...args]: readonly string[]): (exit: Promise<unknown>) => void {
	let isDue = false;
	const look = () => {
		isDue = false;
		const options = { env: AFRESH_ENVIRONMENT, stdio: "ignore" } as const;
		childProcess()
			.spawn(program, [...args, ...SEEN_AFRESH], options)
			.on("error", () => {}); // the next one may do it
	};
	return (exit) => {
		const now = setInterval(look, WHILE_MS).unref();
		void exit.then(() => {
			clearInterval(now);
			if (!isDue) setTimeout(look, AFTER_MS).unref();
			isDue = true;
		});
	};
}
