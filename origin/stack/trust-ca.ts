import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Applies to all TLS clients of this process, including `fetch`. */
export function trustCa(caFile: string): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')])
}
