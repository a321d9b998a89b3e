/**
 * Names to addresses, as the machine has it (getaddrinfo: /etc/hosts, too). Each lookup takes one of the four threads that the
 * run's files are written with, for as long as a name server is silent: so few are under way at once.
 */
import { lookup } from "node:dns/promises";

const AT_ONCE = 2;

export class Lookups {
	private readonly look: (name: string) => Promise<readonly string[]>;
	private readonly waiting: (() => void)[] = [];
	private underWay = 0;

	constructor(look = addressesOf) {
		this.look = look;
	}

	async of(name: string): Promise<readonly string[]> {
		if (this.underWay >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
		else this.underWay += 1;
		try {
			return await this.look(name);
		} finally {
			const next = this.waiting.shift(); // takes the place over
			if (next === undefined) this.underWay -= 1;
			else next();
		}
	}
}

async function addressesOf(name: string): Promise<readonly string[]> {
	return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
}
