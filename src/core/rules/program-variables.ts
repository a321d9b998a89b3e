/** Variables by which a program becomes another, or runs another. */

const CHANGING =
	/^(?:PATH|ENV|BASH_ENV|IFS|CDPATH|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|LD_\w+|DYLD_\w+|GIT_\w+|(?:\w*_)?(?:EDITOR|PAGER|SHELL|COMMAND|BROWSER|ASKPASS|WRAPPER)|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL\w+|RUBY\w+|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|npm_config_\w+|NPM_CONFIG_\w+|RUSTC\w*|CARGO_\w+|MAKEFLAGS|MAKEFILES|CC|CXX|AGENTREE_\w+)$/;

/** Whether what runs later may run otherwise, once the variable is set in the shell. */
export function changesPrograms(name: string): boolean {
	return CHANGING.test(name) && name !== "GIT_TERMINAL_PROMPT";
}
