/** The words behind `agent ask`. Throws AgentreeError("usage"). Pure. */
import { AgentreeError } from "../core/errors.ts";

export interface AskArgs {
	readonly words: readonly string[];
	readonly isHelp: boolean;
	readonly choices?: string;
	readonly why?: string;
	/** A command that is to leave the sandbox, in which directories and hosts are to be had besides. */
	readonly run?: string;
	readonly allowWrite: readonly string[];
	readonly allowHost: readonly string[];
}

export function askArgs(args: readonly string[]): AskArgs {
	const end = args.indexOf("--");
	const words = end < 0 ? [] : args.slice(end + 1);
	const options: { choices?: string; why?: string; run?: string } = {};
	const [allowWrite, allowHost]: [string[], string[]] = [[], []];
	let isHelp = false;
	for (let at = 0; at < (end < 0 ? args.length : end); at++) {
		const arg = args[at] ?? "";
		const [, flag, attached] = /^--(choices|why|run|allow-write|allow-host)(?:=(.*))?$/s.exec(arg) ?? [];
		if (arg === "--help" || arg === "-h") isHelp = true;
		else if (flag === undefined && /^--?[A-Za-z]/.test(arg)) throw usage(unknownOption(arg));
		else if (flag === undefined) words.push(arg);
		else {
			const value = attached ?? args[++at];
			if (value === undefined || value.trim() === "") throw usage(`--${flag} needs a value`);
			if (flag === "allow-write") allowWrite.push(value);
			else if (flag === "allow-host") allowHost.push(value);
			else if (flag === "run" && options.run !== undefined) throw usage("--run was given twice");
			else options[flag as keyof typeof options] = value;
		}
	}
	return { words, isHelp, ...options, allowWrite, allowHost };
}

function unknownOption(arg: string): string {
	return `agent ask has no option ${arg}: it has --choices A,B,C, --why TEXT, and --run COMMAND with --allow-write DIR and --allow-host NAME; write -- before a question that begins like one`;
}

export function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
