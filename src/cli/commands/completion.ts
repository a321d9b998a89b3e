/**
 * `agent completion bash|zsh|fish`: a script for the shell to read, made from the table of commands. `agent completion roles` is what
 * these scripts ask for the roles that there are.
 */

import { AgentreeError } from "../../core/errors.ts";
import { PROVIDERS } from "../../models/providers.ts";
import { COMMANDS, type CommandRow } from "../../project/config/command-table.ts";
import { type OptionRow, RUN_OPTIONS } from "../../project/config/option-table.ts";
import { rolesOf } from "../../project/instructions/find-role.ts";
import { findGuide } from "../../project/instructions/guide.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import type { PrintingCommand } from "../io/process-io.ts";
import { instructionPlaces } from "../start/instruction-sources.ts";

const SCRIPTS: Readonly<Record<string, () => string>> = {
	bash: bashCompletion,
	zsh: zshCompletion,
	fish: fishCompletion,
};

export const completion: PrintingCommand = ([shell = ""], _, { env, cwd, uid, stdout }) => {
	const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
	const shells = Object.keys(SCRIPTS).join(", ");
	if (script === undefined && shell !== "roles")
		throw new AgentreeError("usage", `completion is available for ${shells}, not for "${shell}"`);
	// The roles of files first. A name tells an agent nothing, so a project need not be trusted.
	const roles = () => rolesOf(findGuide(cwd, instructionPlaces(env, uid), new KeptFiles()));
	stdout(
		script?.() ??
			roles()
				.map(({ name }) => `${name}\n`)
				.join(""),
	);
	return 0;
};

/** Both names of the program. */
const PROGRAMS = ["agent", "agentree"];

const SHOWN_COMMANDS: readonly CommandRow[] = COMMANDS.filter(({ group }) => group !== undefined);

const COMMAND_WORDS: readonly string[] = [...SHOWN_COMMANDS.map(({ word }) => word), "help"];

/** The values that an option may have: a list, or what each shell has a word of its own for. */
type OfferedValues = readonly string[] | "directories" | "files" | "runs" | "roles" | undefined;

/** The models are those that their providers name; `script:FILE` is offered without the file. */
function offeredValues({ values }: OptionRow): OfferedValues {
	if (values !== "models") return values;
	return PROVIDERS.flatMap(({ names }) => names.map((name) => name.replace(/[A-Z]+$/, "")));
}

/** The options of a command; without a command's word the line is one of `agent run`. */
function shownOptions(row: CommandRow | undefined): readonly OptionRow[] {
	return (row?.options ?? RUN_OPTIONS).filter(({ isHidden }) => isHidden !== true);
}

/** The options of all commands, each flag once: it means the same in every command that has it. */
function allOptions(): readonly OptionRow[] {
	const rows = COMMANDS.flatMap(({ options }) => options);
	return [...new Map(rows.map((row) => [row.flag, row])).values()];
}

/** True for a command whose argument names a run, or an agent of a run. */
function takesRuns({ arguments: [first = ""] }: CommandRow): boolean {
	return /^.(run|ref)(\.\.\.)?.$/.test(first);
}

/** `--model`, and `-m`. */
function spellings({ flag, short }: OptionRow): string[] {
	return [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** A shell's command that lists the runs, the newest first. */
const LIST_RUNS =
	'command ls -1r "$' + "{AGENTREE_HOME:-$" + '{XDG_STATE_HOME:-$HOME/.local/state}/agentree}/runs" 2>/dev/null';

/** A shell's command that lists the roles that an agent may have here: those of files first. The name is one that no other vendor has. */
const LIST_ROLES = "command agentree completion roles 2>/dev/null";

function bashCompletion(): string {
	const withValue = allOptions().filter(({ value }) => value !== undefined);
	const offering = withValue.filter(({ values }) => values !== undefined);
	const free = withValue.filter(({ values }) => values === undefined);
	return `# bash completion of agent. In ~/.bashrc: source <(agent completion bash)
# Offers those of the lines that begin as the word does. compgen -W would expand them, and what is offered stands on the line as code.
_agent_lines() {
	local line
	while IFS= read -r line; do
		[[ -n "$line" && "$line" == "$cur"* ]] && printf -v line %q "$line" && COMPREPLY+=("$line")
	done
}

_agent_offer() { _agent_lines <<<"$(printf '%s\\n' "$@")"; }

_agent_runs() { _agent_lines <<<"$(${LIST_RUNS})"; }

_agent_roles() { _agent_lines <<<"$(${LIST_ROLES})"; }

_agent_paths() {
	local path
	compopt -o filenames
	while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$cur")
}

# The command's word on the line: the first one that is no option, and no option's value.
_agent_word() {
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "\${COMP_WORDS[i]}" in
		${withValue.flatMap(spellings).join("|")})
			[[ "\${COMP_WORDS[i + 1]}" == "=" ]] && ((i++))
			((i++)) ;;
		-*) ;;
		*) word="\${COMP_WORDS[i]}"; return ;;
		esac
	done
}

_agent() {
	local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" word=""
	COMPREPLY=()
	[[ "$cur" == "=" ]] && cur=""
	[[ "$prev" == "=" ]] && prev="\${COMP_WORDS[COMP_CWORD - 2]}"
	_agent_word
	case "$prev" in
${offering.map(valueCase).join("\n")}
	${free.flatMap(spellings).join("|")}) return ;;
	esac
	case "$word" in
${SHOWN_COMMANDS.map((row) => {
	const options = shownOptions(row).flatMap(spellings);
	const runs = takesRuns(row) ? "_agent_runs; " : "";
	return `	${row.word}) ${runs}_agent_offer ${[...(row.values ?? []), ...options, "--help"].join(" ")} ;;`;
}).join("\n")}
	help) _agent_offer ${COMMAND_WORDS.join(" ")} ;;
	"") _agent_offer ${[...COMMAND_WORDS, ...shownOptions(undefined).flatMap(spellings), "--help", "--version"].join(" ")} ;;
	esac
}

complete -F _agent ${PROGRAMS.join(" ")}
`;
}

function valueCase(row: OptionRow): string {
	return `	${spellings(row).join("|")}) ${offerOf(row)}return ;;`;
}

/** The shell's words that offer an option's values. */
function offerOf(row: OptionRow): string {
	const values = offeredValues(row);
	switch (values) {
		case undefined:
			return "";
		case "directories":
			return "_agent_paths -d; ";
		case "files":
			return "_agent_paths -f; ";
		case "runs":
			return "_agent_runs; ";
		case "roles":
			return "compopt -o nosort 2>/dev/null; _agent_roles; ";
		default:
			return `_agent_offer ${values.join(" ")}; `;
	}
}

function zshCompletion(): string {
	return `#compdef ${PROGRAMS.join(" ")}
# zsh completion of agent. In ~/.zshrc, after compinit: source <(agent completion zsh)
_agent_runs() {
	local -a runs
	runs=(\${(f)"$(${LIST_RUNS})"})
	compadd -a runs
}

_agent_roles() {
	local -a roles
	roles=(\${(f)"$(${LIST_ROLES})"})
	compadd -V roles -a roles
}

_agent_commands() {
	local -a commands
	commands=(
${SHOWN_COMMANDS.map(({ word, help }) => `		${zshQuoted(`${word}:${help}`)}`).join("\n")}
		'help:help of a command'
	)
	_describe command commands
}

_agent() {
	local curcontext="$curcontext" state
	local -a line
	${argumentsOf(["-C", ...shownOptions(undefined).map(optionSpec), "'1:command:_agent_commands'", "'*::argument:->arguments'"])}
	[[ $state == arguments ]] || return
	case $line[1] in
${SHOWN_COMMANDS.map(commandCase).join("\n")}
	help) _agent_commands ;;
	esac
}

if [[ $funcstack[1] == _agent ]]; then _agent "$@"; else compdef _agent ${PROGRAMS.join(" ")}; fi
`;
}

function commandCase(row: CommandRow): string {
	const specs = [
		...shownOptions(row).map(optionSpec),
		zshQuoted(`(- *)--help[what ${row.word} takes]`),
		...row.arguments.map((_, at) => zshQuoted(argumentSpec(row, at))),
	];
	return `	${row.word}) ${argumentsOf(specs)} ;;`;
}

function argumentsOf(specs: readonly string[]): string {
	return ["_arguments", ...specs].join(" \\\n\t\t");
}

function argumentSpec(row: CommandRow, at: number): string {
	const name = row.arguments[at]?.slice(1, -1) ?? "";
	const runs = at === 0 && takesRuns(row) ? "_agent_runs" : " ";
	return `${name.endsWith("...") ? "*" : ""}:${name.replace("...", "")}:${at === 0 && row.values !== undefined ? `(${row.values.join(" ")})` : runs}`;
}

/** `'(-m --model)'{-m+,--model=}'[what it is]:NAME:(shell script:)'`. */
function optionSpec(row: OptionRow): string {
	const { flag, short, value, isValueOptional, help } = row;
	const values = offeredValues(row);
	const long = value === undefined ? `--${flag}` : `--${flag}=`;
	const letter = value === undefined ? `-${short}` : `-${short}+`;
	const names = short === undefined ? long : `'(-${short} --${flag})'{${letter},${long}}`;
	const text = `[${help.replace(/[[\]\\]/g, "\\$&")}]`;
	const action = values === undefined ? " " : actionOf(values);
	return `${names}${zshQuoted(value === undefined ? text : `${text}${isValueOptional === true ? "::" : ":"}${value}:${action}`)}`;
}

function actionOf(values: NonNullable<OfferedValues>): string {
	if (values === "directories") return "_files -/";
	if (values === "runs" || values === "roles") return `_agent_${values}`;
	return values === "files" ? "_files" : `(${values.map((value) => value.replaceAll(":", "\\:")).join(" ")})`;
}

function zshQuoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishCompletion(): string {
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
			({ word, help }) => `complete -c ${program} -n ${fishQuoted(none)} -a ${word} -d ${fishQuoted(help)}`,
		),
		`complete -c ${program} -n ${fishQuoted(none)} -a help -d 'help of a command'`,
		...shownOptions(undefined).map((row) => optionLine(program, none, row)),
		...SHOWN_COMMANDS.flatMap((row) => commandLines(program, row)),
		`complete -c ${program} -n '__fish_seen_subcommand_from help' -a ${fishQuoted(COMMAND_WORDS.join(" "))}`,
	];
	return `${lines.join("\n")}\n`;
}

function commandLines(program: string, row: CommandRow): string[] {
	const when = `__fish_seen_subcommand_from ${row.word}`;
	const values = row.values?.join(" ") ?? (takesRuns(row) ? "(__agent_runs)" : undefined);
	return [
		...(values === undefined ? [] : [`complete -c ${program} -n ${fishQuoted(when)} -a ${fishQuoted(values)}`]),
		...shownOptions(row).map((option) => optionLine(program, when, option)),
	];
}

function optionLine(program: string, when: string, row: OptionRow): string {
	const { flag, short, value, help } = row;
	const values = offeredValues(row);
	const letter = short === undefined ? "" : ` -s ${short}`;
	const takes = value === undefined ? "" : values === "files" ? " -r -F" : ` -x${offer(values)}`;
	return `complete -c ${program} -n ${fishQuoted(when)}${letter} -l ${flag}${takes} -d ${fishQuoted(help)}`;
}

function offer(values: OfferedValues): string {
	if (values === undefined) return "";
	if (values === "directories") return " -a '(__fish_complete_directories)'";
	if (values === "roles") return " -k -a '(__agent_roles)'"; // in their order
	return ` -a ${fishQuoted(values === "runs" ? "(__agent_runs)" : [values].flat().join(" "))}`;
}

function fishQuoted(text: string): string {
	return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
