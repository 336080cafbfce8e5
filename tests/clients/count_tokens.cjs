// A JSON array of texts in, for each the numbers of its o200k and cl100k tokens out.

const encodings = ['o200k_base', 'cl100k_base'].map((name) => require(`gpt-tokenizer/encoding/${name}`));
const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const counts = texts.map((text) => encodings.map((encoding) => encoding.encode(text, options).length));
console.log(JSON.stringify(counts));
