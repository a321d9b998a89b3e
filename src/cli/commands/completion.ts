/**
 * `agent completion bash|zsh|fish`: a script for the shell to read, made from the table of commands. `agent completion roles` is what
 * these scripts ask for the roles that there are.
 */

import { AgentreeError } from "../../core/errors.ts";
import type { Command } from "../../project/config/command-table.ts";
import { bashCompletion } from "../completion/bash.ts";
import { fishCompletion } from "../completion/fish.ts";
import { roleNames } from "../completion/role-names.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { withProcessIo } from "../io/process-io.ts";

const SCRIPTS: Readonly<Record<string, () => string>> = {
	bash: bashCompletion,
	zsh: zshCompletion,
	fish: fishCompletion,
};

export const command: Command = ([shell = ""]) => {
	const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
	if (script === undefined && shell !== "roles")
		throw new AgentreeError(
			"usage",
			`completion is available for ${Object.keys(SCRIPTS).join(", ")}, not for "${shell}"`,
		);
	return withProcessIo((io) => {
		io.stdout(
			script?.() ??
				roleNames(io)
					.map((name) => `${name}\n`)
					.join(""),
		);
		return 0;
	});
};
