/** The completion of bash. Readline parts words at `=`, so `--effort=high` comes as three of them. */
import type { OptionRow } from "../../config/option-table.ts";
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
_agent_offer() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }

_agent_runs() { ${LIST_RUNS}; }

_agent_roles() { ${LIST_ROLES}; }

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
	const runs = takesRuns(row) ? ["$(_agent_runs)"] : [];
	return `	${row.word}) _agent_offer "${[...(row.values ?? []), ...runs, ...options, "--help"].join(" ")}" ;;`;
}).join("\n")}
	help) _agent_offer "${COMMAND_WORDS.join(" ")}" ;;
	"") _agent_offer "${[...COMMAND_WORDS, ...shownOptions(undefined).flatMap(spellings), "--help", "--version"].join(" ")}" ;;
	esac
}

complete -F _agent ${PROGRAMS.join(" ")}
`;
}

function valueCase(row: OptionRow): string {
	return `	${spellings(row).join("|")}) ${offerOf(row)}return ;;`;
}

/** The shell's words that offer an option's values. Names of files may hold spaces, so they are parted at line feeds. */
function offerOf(row: OptionRow): string {
	const values = offeredValues(row);
	switch (values) {
		case undefined:
			return "";
		case "directories":
			return `local IFS=$'\\n'; compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); `;
		case "files":
			return `local IFS=$'\\n'; compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); `;
		case "runs":
			return `_agent_offer "$(_agent_runs)"; `;
		case "roles":
			return `compopt -o nosort 2>/dev/null; _agent_offer "$(_agent_roles)"; `;
		default:
			return `_agent_offer "${values.join(" ")}"; `;
	}
}
