import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Makes all TLS clients of this process, including `fetch`, trust one more authority. */
export function trustCa(caFile: string): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')])
}
