/**
 * The type itself if JSON can represent its values. A BigInt or symbol, at any depth, becomes `never`. As in
 * `JSON.stringify`, functions and `undefined` are omitted from objects.
 */
export type JsonCompatible<T> = T extends bigint | symbol
  ? never
  : T extends { toJSON(...args: never[]): unknown } | ((...args: never[]) => unknown)
    ? T
    : T extends readonly unknown[]
      ? { readonly [index: number]: JsonCompatible<T[number]> }
      : T extends object
        ? { [Key in keyof T]: JsonCompatible<T[Key]> }
        : T
