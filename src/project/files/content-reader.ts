/** Reads kept contents, one after the other, by one process of git. */
import type { OpenTree } from "./open-tree.ts";

type CatFile = Awaited<ReturnType<OpenTree["start"]>>["child"];

export class ContentReader {
	private readonly child: CatFile;
	private readonly chunks: AsyncIterator<Buffer>;
	private rest = Buffer.alloc(0) as Buffer;

	private constructor(child: CatFile) {
		this.child = child;
		this.child.stdin.on("error", () => {}); // then its output ends
		this.child.stderr.resume();
		this.chunks = this.child.stdout[Symbol.asyncIterator]();
	}

	static async open(tree: OpenTree, signal: AbortSignal): Promise<ContentReader> {
		return new ContentReader((await tree.start({ args: ["cat-file", "--batch"], signal })).child);
	}

	/** Undefined when there is no such content, or it cannot be read. */
	async read(id: string): Promise<Buffer | undefined> {
		this.child.stdin.write(`${id}\n`);
		const header = await this.line();
		const bytes = / blob (\d+)$/.exec(header ?? "")?.[1];
		if (bytes === undefined) return undefined;
		const content = await this.exactly(Number(bytes) + 1); // a line feed follows
		return content?.subarray(0, -1);
	}

	/** Once is enough; afterwards nothing is read. */
	close(): void {
		this.child.stdin.end();
		this.child.stdout.destroy();
	}

	private async line(): Promise<string | undefined> {
		for (;;) {
			const end = this.rest.indexOf("\n");
			if (end >= 0) return (await this.exactly(end + 1))?.subarray(0, -1).toString("latin1");
			if (!(await this.more())) return undefined;
		}
	}

	private async exactly(bytes: number): Promise<Buffer | undefined> {
		const parts = [this.rest];
		for (let have = this.rest.length; have < bytes; ) {
			this.rest = Buffer.alloc(0);
			if (!(await this.more())) return undefined;
			parts.push(this.rest);
			have += this.rest.length;
		}
		const all = parts.length === 1 ? this.rest : Buffer.concat(parts);
		this.rest = all.subarray(bytes);
		return all.subarray(0, bytes);
	}

	private async more(): Promise<boolean> {
		try {
			const { done, value } = await this.chunks.next();
			if (done === true) return false;
			this.rest = this.rest.length === 0 ? value : Buffer.concat([this.rest, value]);
			return true;
		} catch {
			return false;
		}
	}
}
