export const AUTHORIZE_PATH = '/agent/authorize'

/** @param challenge valid challenge, as accepted by `decode32Bytes` */
export function authorizePath(challenge: string): string {
  return `${AUTHORIZE_PATH}?challenge=${challenge}`
}
