/**
 * Arguments and variables that are not UTF-8. Node reads each as UTF-8 and puts U+FFFD for what is none, so what would be
 * passed on is another text. Whether a U+FFFD was there from the first is known from the bytes in /proc.
 */
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { usageError } from "../../core/errors.ts";

const REPLACEMENT = "\ufffd";
const NUL = 0;

type Environment = Readonly<Record<string, string | undefined>>;
type ReadBytes = (file: "cmdline" | "environ") => Uint8Array | undefined;

/** Throws AgentreeError("usage"). */
export function refuseOtherArguments(args: readonly string[], read: ReadBytes = ofThisProcess): void {
	if (!args.some((arg) => arg.includes(REPLACEMENT))) return;
	const broken = brokenIn(read("cmdline")).find((arg) => args.includes(arg));
	if (broken === undefined) return;
	throw usageError(
		`an argument is not valid UTF-8: "${broken.slice(0, 200)}"; put the text in a file and pass its name, or convert it with iconv`,
	);
}

/** The names of the variables that are changed by being read. */
export function variablesNotUtf8(env: Environment, read: ReadBytes = ofThisProcess): string[] {
	const suspects = Object.entries(env).filter(([name, value]) => `${name}${value}`.includes(REPLACEMENT));
	if (suspects.length === 0) return [];
	const broken = brokenIn(read("environ"));
	return suspects.filter(([name, value]) => broken.includes(`${name}=${value}`)).map(([name]) => name);
}

/** A line for whoever gave this process an environment that its commands get changed; else undefined. */
export function bytesNotice(env: Environment, read?: ReadBytes): string | undefined {
	const names = variablesNotUtf8(env, read);
	if (names.length === 0) return undefined;
	return `not valid UTF-8 in the environment: ${names.join(", ")}; commands get U+FFFD for the invalid bytes`;
}

/** The texts of a list in /proc that are not UTF-8, as Node reads them. */
function brokenIn(bytes: Uint8Array | undefined): string[] {
	const broken: string[] = [];
	for (let from = 0; bytes !== undefined && from < bytes.length; ) {
		const end = bytes.indexOf(NUL, from);
		const item = bytes.subarray(from, end < 0 ? bytes.length : end);
		if (!isUtf8(item)) broken.push(Buffer.from(item).toString("utf8"));
		from += item.length + 1;
	}
	return broken;
}

/** Undefined where there is no /proc. */
function ofThisProcess(file: "cmdline" | "environ"): Uint8Array | undefined {
	try {
		return readFileSync(`/proc/self/${file}`);
	} catch {
		return undefined;
	}
}
