import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Adds a certificate authority to those that all TLS clients of this process trust, including `fetch`. */
export function trustCa(caFile: string): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')])
}
