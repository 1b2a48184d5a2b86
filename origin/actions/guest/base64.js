/* atob and btoa (Infra standard, forgiving-base64). */
export default function base64(host, base, { exceptions, text, webidl }) {
  const { Uint8Array, stringify, slice, define } = base
  /*
   * Number of characters that one host call converts. It is a multiple of three, so that only the last piece is padded.
   */
  const PIECE = 3 * 256 * 1024

  const invalid = (message) => new exceptions.DOMException(message, 'InvalidCharacterError')

  const btoa = function btoa(data) {
    webidl.required(arguments.length, 1, 'btoa')
    const binary = webidl.string(data)
    let out = ''
    for (let at = 0; at < binary.length; at += PIECE) {
      const encoded = host.btoa(stringify(slice(binary, at, at + PIECE)))
      if (encoded === '') throw invalid('btoa: the text has characters outside Latin-1')
      out += encoded
    }
    return out
  }

  const atob = function atob(data) {
    webidl.required(arguments.length, 1, 'atob')
    const encoded = webidl.string(data)
    const bytes = new Uint8Array(host.atob(stringify(encoded)))
    /* The first byte of the host's response is 1 if the text is valid base64. */
    const { buffer, length } = base.span(bytes)
    if (bytes[0] !== 1) throw invalid('atob: the text is not base64')
    return text.binary(new Uint8Array(buffer, 1, length - 1))
  }

  define(globalThis, 'atob', { value: atob, writable: true, configurable: true })
  define(globalThis, 'btoa', { value: btoa, writable: true, configurable: true })
}
