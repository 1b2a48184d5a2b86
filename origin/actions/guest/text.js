/*
 * TextEncoder and TextDecoder (Encoding standard). The host converts the text. The guest buffers incomplete characters
 * of a stream.
 */
export default function text(host, base, { webidl }) {
  const { Uint8Array, TypeError, RangeError, parse, stringify, slice, charCodeAt, min } = base
  const { indexOf, setBytes, span, toWellFormed, typedName } = base
  /*
   * Number of bytes or characters that one host call converts. It is limited because one byte may take six bytes as
   * JSON in the host's memory.
   */
  const PIECE = 1024 * 1024
  const NOTHING = new Uint8Array(0)

  /* Encodes a well-formed text. A text with NUL is passed to the host as JSON, because the engine would truncate it. */
  const encodePiece = (piece) =>
    new Uint8Array(
      indexOf(piece, '\0') < 0 ? host.encodeText(piece) : host.encodeJson(stringify(piece)),
    )

  const encode = (string) => {
    const whole = toWellFormed(string)
    if (whole.length <= PIECE) return encodePiece(whole)
    const parts = []
    let total = 0
    for (let at = 0; at < whole.length;) {
      let end = min(at + PIECE, whole.length)
      /* Does not split a surrogate pair between two pieces. */
      if (end < whole.length && (charCodeAt(whole, end - 1) & 0xfc00) === 0xd800) end--
      const part = encodePiece(slice(whole, at, end))
      parts[parts.length] = part
      total += span(part).length
      at = end
    }
    const all = new Uint8Array(total)
    for (let at = 0, offset = 0; at < parts.length; offset += span(parts[at++]).length) {
      setBytes(all, parts[at], offset)
    }
    return all
  }

  /* Returns the number of bytes before `end` that are the start of an incomplete UTF-8 character. */
  const incompleteUtf8 = (bytes, end) => {
    for (let back = 1; back <= 3 && back <= end; back++) {
      const lead = bytes[end - back]
      if (lead < 0x80) return 0
      if (lead < 0xc0) continue
      if (lead < 0xc2 || lead > 0xf4) return 0
      const needed = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
      if (back >= needed) return 0
      if (back === 1) return 1
      const second = bytes[end - back + 1]
      const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
      const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
      return second >= low && second <= high ? back : 0
    }
    return 0
  }

  const incompleteUtf16 = (bytes, end, highByte) => {
    const odd = end % 2
    const unit = end - odd - 2
    const isHalf = unit >= 0 && (bytes[unit + highByte] & 0xfc) === 0xd8
    return odd + (isHalf ? 2 : 0)
  }

  const incomplete = (encoding, bytes, end) => {
    if (encoding === 'utf-8') return incompleteUtf8(bytes, end)
    if (encoding === 'utf-16le') return incompleteUtf16(bytes, end, 1)
    return encoding === 'utf-16be' ? incompleteUtf16(bytes, end, 0) : 0
  }

  /*
   * Decodes all complete characters, or all bytes if `isLast` is set.
   * @returns {text, used}, or undefined if the bytes are invalid and `fatal` is set
   */
  const decode = (encoding, { fatal, keepBom, isLast }, bytes) => {
    const { buffer, offset, length } = span(bytes)
    let used = 0
    let decoded = ''
    while (used < length) {
      let end = min(used + PIECE, length)
      if (end < length || !isLast) end -= incomplete(encoding, bytes, end)
      if (end <= used) break
      const part = webidl.compact({ buffer, offset: offset + used, length: end - used })
      const keep = keepBom || used > 0
      const given = host.decodeText(encoding, fatal, keep, part.buffer, part.offset, part.length)
      if (given === '') return undefined
      decoded += given[0] === '"' ? parse(given) : given
      used = end
    }
    return { text: decoded, used }
  }

  class TextEncoder {
    #encoding = 'utf-8'

    get encoding() {
      return this.#encoding
    }

    encode(input = '') {
      if (!(#encoding in this)) throw new TypeError('TextEncoder.encode: wrong this')
      return encode(webidl.string(input))
    }

    encodeInto(source, destination) {
      webidl.required(arguments.length, 2, 'TextEncoder.encodeInto')
      const input = webidl.string(source)
      if (!(#encoding in this) || typedName(destination) !== 'Uint8Array') {
        throw new TypeError('TextEncoder.encodeInto: expected a Uint8Array')
      }
      const { length } = span(destination)
      /*
       * Passes only as many characters as the destination has bytes. Every character takes at least one byte, so the
       * rest cannot fit.
       */
      const fitting = stringify(slice(input, 0, length))
      const answer = new Uint8Array(host.encodeTextInto(fitting, length))
      const HEAD = 4
      const read = answer[0] + answer[1] * 2 ** 8 + answer[2] * 2 ** 16 + answer[3] * 2 ** 24
      const { buffer, offset, length: size } = span(answer)
      setBytes(destination, new Uint8Array(buffer, offset + HEAD, size - HEAD))
      return { read, written: size - HEAD }
    }
  }

  class TextDecoder {
    #encoding
    #fatal
    #ignoreBOM
    #held = NOTHING
    #begun = false

    constructor(label = 'utf-8', options = {}) {
      const name = webidl.string(label)
      const { fatal, ignoreBOM } = webidl.dictionary(options, 'TextDecoder')
      this.#encoding = host.encodingName(stringify(slice(name, 0, 256)))
      if (this.#encoding === '') {
        throw new RangeError(
          'TextDecoder: the encoding ' + slice(name, 0, 64) + ' is not supported',
        )
      }
      this.#fatal = !!fatal
      this.#ignoreBOM = !!ignoreBOM
    }

    get encoding() {
      return this.#encoding
    }

    get fatal() {
      return this.#fatal
    }

    get ignoreBOM() {
      return this.#ignoreBOM
    }

    decode(input = NOTHING, options = {}) {
      const held = this.#held
      const given = webidl.bytes(input, 'TextDecoder.decode')
      const { stream } = webidl.dictionary(options, 'TextDecoder.decode')
      let bytes = new Uint8Array(given.buffer, given.offset, given.length)
      const heldLength = span(held).length
      if (heldLength > 0) {
        bytes = new Uint8Array(heldLength + given.length)
        setBytes(bytes, held)
        setBytes(bytes, new Uint8Array(given.buffer, given.offset, given.length), heldLength)
      }
      const keepBom = this.#ignoreBOM || this.#begun
      const how = { fatal: this.#fatal, keepBom, isLast: !stream }
      const decoded = decode(this.#encoding, how, bytes)
      const used = decoded === undefined ? 0 : decoded.used
      this.#begun = !!stream && (this.#begun || used > 0)
      const { buffer, offset, length } = span(bytes)
      this.#held =
        stream && decoded !== undefined
          ? webidl.copy(buffer, offset + used, length - used)
          : NOTHING
      if (decoded !== undefined) return decoded.text
      throw new TypeError('TextDecoder.decode: the bytes are not valid ' + this.#encoding)
    }
  }

  webidl.expose(TextEncoder)
  webidl.expose(TextDecoder)

  const LENIENT = { fatal: false, keepBom: false, isLast: true }
  return {
    encode,
    /* Decodes a Uint8Array as UTF-8 and removes a byte order mark. */
    decodeUtf8: (bytes) => decode('utf-8', LENIENT, bytes).text,
    /* Converts each byte of a Uint8Array to one character. */
    binary: (bytes) => decode('binary', LENIENT, bytes).text,
  }
}
