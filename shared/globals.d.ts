// The two pure web globals that every runtime has. shared/ is compiled with `types: []`, so that nothing
// else of a runtime (clock, randomness, network) can creep in.
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array | ArrayBuffer): string
}
