/** What the system has run out of, and what the model can do about it; undefined for any other error. */
export function shortageOf(error: NodeJS.ErrnoException): string | undefined {
	switch (error.code) {
		case "EAGAIN":
			return "the system gives no more processes (EAGAIN): wait until some of yours have ended, then try again";
		case "EMFILE":
		case "ENFILE":
			return `too many files are open (${error.code}): run fewer commands at the same time, then try again`;
		case "ENOMEM":
			return "the system is out of memory (ENOMEM): wait until some of your processes have ended, then try again";
		case "ENOSPC":
			return "the disk is full (ENOSPC): make room, then try again";
		default:
			return undefined;
	}
}
