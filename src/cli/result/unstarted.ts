/** What a program that reads JSON gets of a run that does not start: the object that it gets of any other. Pure. */

import { EXIT } from "../../core/errors.ts";
import { EMPTY_RUN } from "../../core/run/run-state.ts";
import { OUTPUT_FORMATS, type OutputFormat } from "../../project/config/option-table.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { resultLine } from "./result-line.ts";

/** The format that a line of arguments asks for, also one with which something else is wrong. */
export function askedFormat(args: readonly string[]): OutputFormat {
	const flag = "--output-format";
	const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
	const at = options.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
	const value = options[at] === flag ? options[at + 1] : options[at]?.slice(flag.length + 1);
	return OUTPUT_FORMATS.find((format) => format === value) ?? "text";
}

/** With its line end; empty where no JSON is asked for. `reason`: what stderr says. */
export function unstartedResult(
	args: readonly string[],
	{ reason, exitCode }: { readonly reason: string; readonly exitCode: number },
): string {
	if (askedFormat(args) === "text") return "";
	const failure = { by: "failure", reason, exitCode: EXIT.failure } as const;
	const end = { ending: failure, exitCode, survivors: [], rootFinish: undefined };
	const settings = { run: "", cwd: "", version: "" };
	const line = resultLine(end, { settings, run: EMPTY_RUN, lastWords: "" });
	return `${safeJson({ ...line, errors: [reason], ending: { ...failure, exitCode }, session_id: null, agent_id: null })}\n`;
}
