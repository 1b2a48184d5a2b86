const { URL, URLSearchParams } = globalThis

export { URL, URLSearchParams }
export default { URL, URLSearchParams }
