import { base58, base64urlnopad, bech32 } from '@scure/base'
import { defineAction } from '@svc-run/cli/action'

export default defineAction(({ text }: { text: string }) => {
  const bytes = new TextEncoder().encode(text)
  return {
    base58: base58.encode(bytes),
    base64url: base64urlnopad.encode(bytes),
    bech32: bech32.encode('bc', bech32.toWords(bytes)),
    decoded: new TextDecoder().decode(
      base58.decode(base58.encode(bytes)) as Uint8Array<ArrayBuffer>,
    ),
  }
})
