// The only two web globals that shared code may use: both are pure, and every runtime has them. shared/ is compiled
// with `types: []`, so that it cannot depend on a runtime's clock, randomness or network.
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array | ArrayBuffer): string
}
