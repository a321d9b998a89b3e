/** Words that are the shell's own, and files to which output may always go. */

/** Words of the shell before which, or behind which, a command begins. */
export const AROUND = new Set([
	"if",
	"then",
	"elif",
	"else",
	"while",
	"until",
	"do",
	"!",
	"{",
	"time",
	"fi",
	"done",
	"esac",
	"}",
]);
/** They go on with words that are no command. */
export const HEADS = new Set(["for", "select"]);
export const NOWHERE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);
