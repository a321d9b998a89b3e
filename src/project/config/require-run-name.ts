/** What somebody wants to call a run. */
import { AgentreeError } from "../../core/errors.ts";
import { preview } from "../../core/preview.ts";
import { MAX_NAME_CHARS, runName } from "../../core/run-name.ts";
import type { OptionValues } from "./option-table.ts";

const SHOWN_CHARS = 40;

/** In one line; empty for none. Throws AgentreeError("usage") for one that is too long. */
export function requireRunName(given: string): string {
	const name = runName(given);
	if (name !== undefined) return name;
	const shown = preview(given, SHOWN_CHARS);
	throw new AgentreeError("usage", `a name can have ${MAX_NAME_CHARS} characters: "${shown}" is too long`);
}

/** What a request has of `--name`, which no child agent knows. Throws AgentreeError("usage") for an empty one, too. */
export function nameOption({ name: given }: OptionValues): { name?: string } {
	if (typeof given !== "string") return {};
	const name = requireRunName(given);
	if (name === "") throw new AgentreeError("usage", "--name needs a name");
	return { name };
}
