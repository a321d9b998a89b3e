/** `--input-format`: whether a program talks with the run. */

import { AgentreeError } from "../../core/errors.ts";
import type { OptionValues } from "../../project/config/option-table.ts";

const FORMATS = ["text", "stream-json"];

/** Throws AgentreeError("usage") for another format, and for what contradicts it. */
export function isStreamInput(values: OptionValues, task: string | undefined): boolean {
	const { "input-format": format = "text", detach, stdin } = values;
	if (!FORMATS.includes(String(format)))
		throw new AgentreeError("usage", `--input-format must be one of ${FORMATS.join(", ")}, not "${format}"`);
	if (format === "text") return false;
	const other = detach === true ? "--detach" : stdin === true ? "--stdin" : task === "-" ? "a task from stdin" : "";
	if (other !== "")
		throw new AgentreeError(
			"usage",
			`${other} and --input-format stream-json contradict each other: give one of the two`,
		);
	return true;
}
