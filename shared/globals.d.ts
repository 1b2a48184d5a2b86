// Declares the only web globals that shared code may use. Both are pure and available in every runtime. `types: []`
// keeps shared/ independent of a runtime's clock, randomness or network.
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array | ArrayBuffer, options?: { stream?: boolean }): string
}
