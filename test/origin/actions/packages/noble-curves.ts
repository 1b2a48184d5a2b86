import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/curves/utils.js'
import { defineAction } from '@svc-run/cli/action'

export default defineAction(({ one, seed }: { one: string; seed: string }) => {
  const secret = hexToBytes(seed)
  const signature = ed25519.sign(new Uint8Array(0), secret)
  return {
    secp256k1: bytesToHex(secp256k1.getPublicKey(hexToBytes(one))),
    ed25519: bytesToHex(ed25519.getPublicKey(secret)),
    signature: bytesToHex(signature),
    isValid: ed25519.verify(signature, new Uint8Array(0), ed25519.getPublicKey(secret)),
  }
})
