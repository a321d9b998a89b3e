/** The completion of zsh, by its function `_arguments`. */
import type { CommandRow } from "../../project/config/command-table.ts";
import type { OptionRow } from "../../project/config/option-table.ts";
import {
	LIST_ROLES,
	LIST_RUNS,
	type OfferedValues,
	offeredValues,
	PROGRAMS,
	SHOWN_COMMANDS,
	shownOptions,
	takesRuns,
} from "./completed-options.ts";

export function zshCompletion(): string {
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
${SHOWN_COMMANDS.map(({ word, help }) => `		${quoted(`${word}:${help}`)}`).join("\n")}
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
		quoted(`(- *)--help[what ${row.word} takes]`),
		...row.arguments.map((_, at) => quoted(argumentSpec(row, at))),
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
	return `${names}${quoted(value === undefined ? text : `${text}${isValueOptional === true ? "::" : ":"}${value}:${action}`)}`;
}

function actionOf(values: NonNullable<OfferedValues>): string {
	if (values === "directories") return "_files -/";
	if (values === "runs" || values === "roles") return `_agent_${values}`;
	return values === "files" ? "_files" : `(${values.map((value) => value.replaceAll(":", "\\:")).join(" ")})`;
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
