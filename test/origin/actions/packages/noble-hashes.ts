import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { defineAction } from '@svc-run/cli/action'

export default defineAction(({ text }: { text: string }) => ({
  sha256: bytesToHex(sha256(utf8ToBytes(text))),
  keccak256: bytesToHex(keccak_256(utf8ToBytes(text))),
  hmac: bytesToHex(hmac(sha256, utf8ToBytes('Jefe'), utf8ToBytes('what do ya want for nothing?'))),
}))
