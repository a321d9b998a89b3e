/** The part of blessed that is used: its terminal. Its widgets are not loaded, which takes as long as all the rest. */
declare module "blessed/lib/program.js" {
	import type { EventEmitter } from "node:events";

	class Program {
		constructor(options: {
			readonly input: EventEmitter;
			readonly output: NodeJS.WritableStream;
			readonly terminal: string;
			readonly tput: boolean;
			readonly extended: false;
			readonly buffer: true;
		});
		alternateBuffer(): void;
		normalBuffer(): void;
		/** Adds to a buffer that is flushed at the end of this turn of the event loop, or when the program is destroyed. */
		_write(text: string): void;
		flush(): void;
		destroy(): void;
	}

	export default Program;
}
