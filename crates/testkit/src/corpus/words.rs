//! The words that generated conversations are made of.

/// What holds sentences together; the most frequent first.
#[rustfmt::skip]
pub(super) const GLUE: &[&str] = &[
    "the", "to", "a", "and", "of", "is", "in", "that", "it", "for", "with", "on", "this", "not", "when", "as", "be",
    "we", "from", "so", "if", "but", "by", "are", "now", "which", "before", "after", "only", "then", "into",
    "because", "each", "without", "while", "still", "should", "can", "will", "does", "was", "has", "no", "all",
    "more", "than", "its", "where", "also", "between", "every", "until",
];

/// What programmers do.
#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "read", "write", "parse", "open", "build", "check", "test", "run", "load", "store", "find", "add", "remove",
    "update", "handle", "return", "call", "send", "receive", "move", "copy", "sort", "merge", "split", "render",
    "validate", "encode", "decode", "flush", "append", "commit", "rebase", "retry", "resolve", "register", "observe",
    "sweep", "index", "scan", "compress", "restore", "archive", "delete", "replace", "rename", "lock", "release",
    "spawn", "wait", "cancel", "poll", "notify", "dispatch", "schedule", "measure", "cache", "evict", "hash",
    "compare", "format", "escape", "truncate", "migrate", "deploy", "install", "configure", "mount", "probe",
];

/// What they do it to.
#[rustfmt::skip]
pub(super) const NOUNS: &[&str] = &[
    "file", "line", "error", "test", "function", "type", "path", "value", "string", "session", "record", "request",
    "response", "server", "client", "buffer", "parser", "token", "index", "table", "column", "row", "query", "result",
    "state", "event", "message", "handler", "config", "option", "argument", "command", "process", "thread", "task",
    "queue", "channel", "stream", "reader", "writer", "cursor", "node", "tree", "graph", "edge", "key", "entry",
    "map", "list", "cache", "page", "block", "chunk", "frame", "packet", "header", "body", "field", "schema",
    "version", "migration", "branch", "commit", "diff", "patch", "merge", "conflict", "module", "crate", "package",
    "import", "export", "class", "method", "trait", "interface", "struct", "enum", "variant", "pattern", "match",
    "loop", "iterator", "closure", "future", "promise", "timeout", "retry", "deadline", "clock", "timer", "lock",
    "mutex", "semaphore", "pool", "connection", "socket", "address", "port", "route", "endpoint", "middleware",
    "cookie", "header", "payload", "checksum", "digest", "signature", "certificate", "secret", "user", "account",
    "tenant", "role", "permission", "policy", "limit", "quota", "budget", "invoice", "order", "cart", "product",
    "price", "currency", "shipment", "warehouse", "sensor", "reading", "sample", "histogram", "percentile", "metric",
    "gauge", "counter", "span", "trace", "log", "dashboard", "alert", "incident", "report", "template", "layout",
    "widget", "button", "dialog", "menu", "toolbar", "shortcut", "theme", "palette", "font", "glyph", "viewport",
    "camera", "mesh", "texture", "shader", "tensor", "gradient", "layer", "epoch", "batch", "dataset", "label",
    "feature", "embedding",
];

/// What it is like.
#[rustfmt::skip]
pub(super) const ADJECTIVES: &[&str] = &[
    "new", "old", "last", "first", "empty", "wrong", "right", "missing", "stale", "open", "pending", "local",
    "remote", "global", "shared", "private", "public", "raw", "safe", "broken", "flaky", "slow", "fast", "large",
    "small", "nested", "partial", "duplicate", "unknown", "default", "optional", "required", "internal", "external",
    "temporary", "durable", "atomic", "lazy", "eager", "strict", "tolerant",
];

/// Where files lie.
#[rustfmt::skip]
pub(super) const DIRECTORIES: &[&str] = &[
    "src", "tests", "lib", "crates", "packages", "internal", "cmd", "api", "core", "web", "server", "client", "docs",
    "scripts", "tools", "benches", "examples", "migrations", "fixtures", "components", "pages", "hooks", "models",
    "services", "adapters",
];

/// What their names end in.
#[rustfmt::skip]
pub(super) const EXTENSIONS: &[&str] = &[
    "rs", "ts", "py", "go", "tsx", "md", "json", "toml", "yaml", "sql", "c", "h", "java", "sh",
];

/// Chinese and Japanese, in pieces that are joined without spaces.
#[rustfmt::skip]
pub(super) const CJK: &[&str] = &[
    "修复", "解析器", "测试", "失败", "文件", "会话", "读取", "写入", "错误", "重构", "函数", "变量", "接口", "请求", "响应", "数据库", "索引", "搜索",
    "缓存", "线程", "我们", "需要", "检查", "为什么", "这个", "不能", "已经", "完成", "删除", "恢复", "備份", "設定", "を", "修正", "して", "ください",
    "テスト", "が", "失敗", "する", "ファイル", "の", "読み込み", "エラー", "です", "検索", "対応", "実装", "確認", "お願いします",
];
