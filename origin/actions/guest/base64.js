/* atob and btoa (WHATWG forgiving-base64), which QuickJS lacks and ethers' bundle needs to load. */
export default function base64(_host, base) {
  const { String, TypeError, charCodeAt, indexOf, fromCharCode, define } = base
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const SPACES = ' \t\n\f\r'

  const btoa = (input) => {
    const text = String(input)
    let out = ''
    for (let at = 0; at < text.length; at += 3) {
      const left = text.length - at
      const a = charCodeAt(text, at)
      const b = left > 1 ? charCodeAt(text, at + 1) : 0
      const c = left > 2 ? charCodeAt(text, at + 2) : 0
      if (a > 255 || b > 255 || c > 255) {
        throw new TypeError('btoa: the text has characters outside Latin1')
      }
      out += ALPHABET[a >> 2] + ALPHABET[((a & 3) << 4) | (b >> 4)]
      out += left > 1 ? ALPHABET[((b & 15) << 2) | (c >> 6)] : '='
      out += left > 2 ? ALPHABET[c & 63] : '='
    }
    return out
  }

  const invalid = () => new TypeError('atob: the text is not base64')

  const atob = (input) => {
    const text = String(input)
    let digits = ''
    for (let at = 0; at < text.length; at++) if (indexOf(SPACES, text[at]) < 0) digits += text[at]
    let end = digits.length
    if (end % 4 === 0 && end > 0 && digits[end - 1] === '=') end -= digits[end - 2] === '=' ? 2 : 1
    if (end % 4 === 1) throw invalid()
    let out = ''
    let bits = 0
    let held = 0
    for (let at = 0; at < end; at++) {
      const value = indexOf(ALPHABET, digits[at])
      if (value < 0) throw invalid()
      held = ((held << 6) | value) & 0xffff
      bits += 6
      if (bits >= 8) {
        bits -= 8
        out += fromCharCode((held >> bits) & 255)
      }
    }
    return out
  }

  define(globalThis, 'atob', { value: atob, writable: true, configurable: true })
  define(globalThis, 'btoa', { value: btoa, writable: true, configurable: true })
}
