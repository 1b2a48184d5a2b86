import { defineAction } from '@svc-run/cli/action'
import { compactVerify, type JWK, SignJWT, jwtVerify } from 'jose'

type Params = { token: string; jwk: JWK }

export default defineAction(async ({ token, jwk }: Params) => {
  const { payload } = await compactVerify(token, jwk)
  const secret = new TextEncoder().encode('a secret of thirty-two characters')
  const own = await new SignJWT({ sub: 'x' }).setProtectedHeader({ alg: 'HS256' }).sign(secret)
  const forged = await jwtVerify(`${own.slice(0, -4)}AAAA`, secret).catch(({ code }) => code)
  return {
    issuer: (
      JSON.parse(new TextDecoder().decode(payload as Uint8Array<ArrayBuffer>)) as { iss: string }
    ).iss,
    subject: (await jwtVerify(own, secret)).payload.sub,
    forged: forged as string,
  }
})
