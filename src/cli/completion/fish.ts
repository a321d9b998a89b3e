/** The completion of fish: one line for each option of each command. */
import type { CommandRow } from "../../project/config/command-table.ts";
import type { OptionRow } from "../../project/config/option-table.ts";
import {
	COMMAND_WORDS,
	LIST_ROLES,
	type OfferedValues,
	offeredValues,
	PROGRAMS,
	SHOWN_COMMANDS,
	shownOptions,
	takesRuns,
} from "./completed-options.ts";

export function fishCompletion(): string {
	return `# fish completion of agent. In ~/.config/fish/config.fish: agent completion fish | source
function __agent_runs
	set -l state (set -q XDG_STATE_HOME; and echo $XDG_STATE_HOME; or echo ~/.local/state)
	set -l home (set -q AGENTREE_HOME; and echo $AGENTREE_HOME; or echo $state/agentree)
	command ls -1r $home/runs 2>/dev/null
end

function __agent_roles
	${LIST_ROLES}
end

${PROGRAMS.map(linesOf).join("\n")}`;
}

function linesOf(program: string): string {
	const none = `not __fish_seen_subcommand_from ${COMMAND_WORDS.join(" ")}`;
	const lines = [
		`complete -c ${program} -f`,
		...SHOWN_COMMANDS.map(
			({ word, help }) => `complete -c ${program} -n ${quoted(none)} -a ${word} -d ${quoted(help)}`,
		),
		`complete -c ${program} -n ${quoted(none)} -a help -d 'help of a command'`,
		...shownOptions(undefined).map((row) => optionLine(program, none, row)),
		...SHOWN_COMMANDS.flatMap((row) => commandLines(program, row)),
		`complete -c ${program} -n '__fish_seen_subcommand_from help' -a ${quoted(COMMAND_WORDS.join(" "))}`,
	];
	return `${lines.join("\n")}\n`;
}

function commandLines(program: string, row: CommandRow): string[] {
	const when = `__fish_seen_subcommand_from ${row.word}`;
	const values = row.values?.join(" ") ?? (takesRuns(row) ? "(__agent_runs)" : undefined);
	return [
		...(values === undefined ? [] : [`complete -c ${program} -n ${quoted(when)} -a ${quoted(values)}`]),
		...shownOptions(row).map((option) => optionLine(program, when, option)),
	];
}

function optionLine(program: string, when: string, row: OptionRow): string {
	const { flag, short, value, help } = row;
	const values = offeredValues(row);
	const letter = short === undefined ? "" : ` -s ${short}`;
	const takes = value === undefined ? "" : values === "files" ? " -r -F" : ` -x${offer(values)}`;
	return `complete -c ${program} -n ${quoted(when)}${letter} -l ${flag}${takes} -d ${quoted(help)}`;
}

function offer(values: OfferedValues): string {
	if (values === undefined) return "";
	if (values === "directories") return " -a '(__fish_complete_directories)'";
	if (values === "roles") return " -k -a '(__agent_roles)'"; // in their order
	return ` -a ${quoted(values === "runs" ? "(__agent_runs)" : [values].flat().join(" "))}`;
}

function quoted(text: string): string {
	return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
