/** The completion of bash. Readline parts words at `=`, so `--effort=high` comes as three of them. */
import type { OptionRow } from "../../project/config/option-table.ts";
import {
	allOptions,
	COMMAND_WORDS,
	LIST_ROLES,
	LIST_RUNS,
	offeredValues,
	PROGRAMS,
	SHOWN_COMMANDS,
	shownOptions,
	spellings,
	takesRuns,
} from "./completed-options.ts";

export function bashCompletion(): string {
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
