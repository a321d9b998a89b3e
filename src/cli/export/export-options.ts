/** What `agent show` is asked to write to files. Light: it is read for every `show`, and what writes them is loaded when needed. */

import { AgentreeError } from "../../core/errors.ts";
import type { OptionValues } from "../../project/config/option-table.ts";

/** The formats are named like their options. */
const EXPORT_FORMATS = ["html", "perfetto", "atif"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOption {
	readonly format: ExportFormat;
	/** `-` is stdout. */
	readonly path: string;
}

/** None when `show` is to print. Throws AgentreeError("usage") for options that do not go together. */
export function exportOptions(values: OptionValues): ExportOption[] {
	const asked = EXPORT_FORMATS.flatMap((format) => {
		const path = values[format];
		return typeof path === "string" ? [{ format, path }] : [];
	});
	const [first] = asked;
	if (first === undefined && values.force === true)
		throw new AgentreeError("usage", `--force needs one of ${EXPORT_FORMATS.map((name) => `--${name}`).join(", ")}`);
	const other = ["json", "follow", "verbose"].find((flag) => values[flag] === true);
	if (first !== undefined && other !== undefined)
		throw new AgentreeError(
			"usage",
			`--${first.format} and --${other} contradict each other: an export is a whole run as it is now`,
		);
	for (const { format, path } of asked)
		if (path === "") throw new AgentreeError("usage", `--${format} needs a file name, or - for stdout`);
	return asked;
}
