/** `values` without the keys whose value is undefined: an optional key is absent, never undefined. */
export function defined<T extends object>(values: T): Defined<T> {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** `T` with each key that may be undefined made optional, and never undefined when present. */
type Defined<T> = { [K in RequiredKey<T>]: T[K] } & { [K in Exclude<keyof T, RequiredKey<T>>]?: Given<T[K]> };

type RequiredKey<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
type Given<V> = Exclude<V, undefined>;
