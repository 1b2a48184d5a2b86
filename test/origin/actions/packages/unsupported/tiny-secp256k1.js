import { isPoint } from 'tiny-secp256k1'
export const main = () => isPoint(new Uint8Array(33))
